"""What a run looks like to those it is shown to: link preview, picture, a document to keep."""
