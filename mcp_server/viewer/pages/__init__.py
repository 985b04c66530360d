"""The pages of windows: what a browser asks for, gets, and hears of while it shows it."""
