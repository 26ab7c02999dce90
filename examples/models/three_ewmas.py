"""Three EWMAs of squared returns, of 5 and 30 minutes and 4 hours, in a logistic regression. Packages: numpy."""

from market import Grid, serve_features, size

grid = Grid(10, keep=6 * 1440)


def features_of(window):
    return [size(grid.ewma(life), window) for life in (300, 1800, 14_400)]


serve_features(features_of, 3, grid.add)
