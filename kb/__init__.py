"""Knowledge: facts from text, entries, ranking, and the site that shows them."""
