// biome-ignore-all lint/suspicious/noTemplateCurlyInString: such strings are what is tested
import { expandTemplate, keepVariables } from '@x/mcp-config-schema/templates';
import { planSync } from '@x/mcp-host-sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';

/** The argument as it is written for a host that replaces no variables. */
function written(argument: string, writeSecrets: Readonly<Record<string, string>>): string {
  const place = { host: 'claude-desktop', file: '/home/ann/a.json', inside: '/home/ann', platform: 'darwin' } as const;
  const ours = [{ name: 'a', transport: 'stdio', command: 'x', args: [argument] }] as const;
  const { issues, files } = planSync({ ours, theirs: [place], writeSecrets });
  expect(issues).toEqual([]);
  return JSON.parse(files[0]?.content.open().text ?? '').mcpServers.a.args[0];
}

test('variables kept in a config and expanded when it is written equal variables expanded at once', () => {
  const piece = fc.constantFrom('$', '{', '}', '{{', '${A}', '${B:-x}', '{{env.A}}', '{{root}}', '$${', '{{{{', 'A');
  const anyText = fc.array(piece, { maxLength: 12 }).map((parts) => parts.join(''));
  const variables = { A: '${B}', B: '' };
  fc.assert(
    fc.property(anyText, fc.constantFrom('/srv', '${A}', '$', 'a{'), (text, root) => {
      const kept = keepVariables(text, { root });
      const expanded = expandTemplate(text, variables, { root });
      fc.pre(kept.faults.length === 0 && expanded.faults.length === 0); // pieces may join to a variable that is not set
      expect(written(kept.text, variables)).toBe(expanded.text);
    }),
    { numRuns: 2_000 },
  );
});
