// SPDX-License-Identifier: Apache-2.0
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;

/// <summary>Reads the JSON that the cases need: objects, lists, texts, integers and decimals, true, false, null.</summary>
internal sealed class Json
{
  private readonly string text;
  private int at;

  private Json(string text)
  {
    this.text = text;
  }

  internal static object Parse(string text)
  {
    return new Json(text).Value();
  }

  /// <summary>One form for each value, to compare.</summary>
  internal static string Write(object value)
  {
    if (value == null)
    {
      return "null";
    }
    var map = value as IDictionary<string, object>;
    if (map != null)
    {
      return "{" + string.Join(",", map.OrderBy(e => e.Key, StringComparer.Ordinal).Select(e => e.Key + ":" + Write(e.Value))) + "}";
    }
    var list = value as IEnumerable<object>;
    if (list != null)
    {
      return "[" + string.Join(",", list.Select(Write)) + "]";
    }
    return value is string ? "\"" + value + "\"" : Convert.ToString(value, CultureInfo.InvariantCulture);
  }

  private char Next()
  {
    while (char.IsWhiteSpace(text[at]))
    {
      at++;
    }
    return text[at];
  }

  private object Value()
  {
    switch (Next())
    {
      case '{':
        var map = new Dictionary<string, object>();
        Items('}', () =>
        {
          string key = (string)Value();
          Next();
          at++;
          map[key] = Value();
        });
        return map;
      case '[':
        var list = new List<object>();
        Items(']', () => list.Add(Value()));
        return list;
      case '"':
        return Text();
      default:
        return Word();
    }
  }

  private void Items(char end, Action item)
  {
    at++;
    while (Next() != end)
    {
      item();
      if (Next() == ',')
      {
        at++;
      }
    }
    at++;
  }

  private string Text()
  {
    var made = new StringBuilder();
    for (at++; text[at] != '"'; at++)
    {
      if (text[at] != '\\')
      {
        made.Append(text[at]);
      }
      else if (text[++at] == 'u')
      {
        made.Append((char)int.Parse(text.Substring(at + 1, 4), NumberStyles.HexNumber));
        at += 4;
      }
      else
      {
        made.Append(text[at] == 'n' ? '\n' : text[at]);
      }
    }
    at++;
    return made.ToString();
  }

  private object Word()
  {
    int from = at;
    while (at < text.Length && (char.IsLetterOrDigit(text[at]) || "+-.".IndexOf(text[at]) >= 0))
    {
      at++;
    }
    string word = text.Substring(from, at - from);
    switch (word)
    {
      case "null": return null;
      case "true": return true;
      case "false": return false;
    }
    return word.IndexOfAny(new[] { '.', 'e', 'E' }) < 0
      ? (object)long.Parse(word, CultureInfo.InvariantCulture)
      : double.Parse(word, CultureInfo.InvariantCulture);
  }
}
