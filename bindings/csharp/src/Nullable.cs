// SPDX-License-Identifier: Apache-2.0
// Where null is possible, for compilers of C# 8 and later. .NET Standard 2.0 does not have these attributes.
#if NETSTANDARD2_0
namespace System.Diagnostics.CodeAnalysis
{
  [AttributeUsage(AttributeTargets.Parameter | AttributeTargets.Property)]
  internal sealed class AllowNullAttribute : Attribute
  {
  }

  [AttributeUsage(AttributeTargets.Property | AttributeTargets.ReturnValue)]
  internal sealed class MaybeNullAttribute : Attribute
  {
  }
}
#endif
