"""The experiments of the five papers, a module for each; papers.py runs and reports them."""
