"""Documents: Markdown as safe HTML, and which files may be seen."""
