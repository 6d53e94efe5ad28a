# SPDX-License-Identifier: Apache-2.0
"""The version of all EnvPool wheels, and the number of the interface between core and families.

`API_VERSION` equals `kApiVersion` of the C++ headers. Every compiled family carries the
number of the headers it was built with, and core refuses one that differs from its own.
"""

__version__ = "0.1.0"
API_VERSION = 2
