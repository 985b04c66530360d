"""A real model behind llama.cpp's server, for what no scripted answer can show."""
