"""The dashboard of production in a browser, and its figures for Prometheus and Grafana."""
