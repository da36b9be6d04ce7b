"""Charts of a report's exhibits, drawn by Vega-Lite without a browser (extra `report`)."""
