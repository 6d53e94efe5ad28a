// SPDX-License-Identifier: Apache-2.0
// In place of EGL: the types that a class of the engine has members of, which is not compiled.
#pragma once

using EGLDisplay = void*;
using EGLSurface = void*;
using EGLContext = void*;
