// SPDX-License-Identifier: Apache-2.0
// Replaces EGL: the member types of a class that is not compiled.
#pragma once

using EGLDisplay = void*;
using EGLSurface = void*;
using EGLContext = void*;
