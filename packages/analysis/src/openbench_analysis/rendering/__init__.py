"""What text, Markdown, CSV and HTML of tables share."""
