# SPDX-License-Identifier: Apache-2.0
"""GluonCV's model zoo, and Gluon's own vision nets (mx_*)."""
from net import Input, Net, trace

NETS = []
