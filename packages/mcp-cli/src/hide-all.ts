import type { Redactor } from '@x/mcp-config-schema';

/** A redactor that applies several redactors. */
export function hideAll(redactors: readonly [Redactor, ...Redactor[]]): Redactor {
  const [first, ...others] = redactors;
  if (others.length === 0) return first;
  const each = <Value>(value: Value, hide: (redactor: Redactor, value: Value) => Value): Value =>
    redactors.reduce((rest, redactor) => hide(redactor, rest), value);
  return {
    redact: (text) => each(text, (redactor, rest) => redactor.redact(rest)),
    star: (text) => each(text, (redactor, rest) => redactor.star(rest)),
    redactData: (data) => each(data, (redactor, rest) => redactor.redactData(rest)),
    with: (values) => hideAll([first.with(values), ...others]),
  };
}
