import type { Redactor } from '@x/mcp-config-schema';

/** A redactor that hides what either of two hides. */
export function hideAll(one: Redactor, other: Redactor): Redactor {
  return {
    redact: (text) => other.redact(one.redact(text)),
    star: (text) => other.star(one.star(text)),
    redactData: (data) => other.redactData(one.redactData(data)),
    with: (values) => hideAll(one.with(values), other),
  };
}
