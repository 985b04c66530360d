"""Screens: who opens real windows on the pages."""
