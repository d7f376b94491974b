import { isRecord } from '@x/internal/json';
import { quote } from '@x/internal/text';
import type { RegistryDiagnostic } from '../../catalog/diagnostics.js';
import { nearestNames } from '../../catalog/nearest-names.js';
import type { SourceTools } from '../../catalog/snapshot.js';

/** Overrides of tools that a source, whose tools are known, does not have. */
export function unmatchedOverrides({ name: server, checked, overrides, isListed }: SourceTools) {
  if (!isRecord(overrides) || isListed !== true) return [];
  const names = new Set(checked.tools.map(({ name }) => name));
  return Object.keys(overrides)
    .filter((tool) => !names.has(tool))
    .map((tool): RegistryDiagnostic => {
      const suggestions = nearestNames(
        tool,
        Array.from(names, (name) => ({ name, tool: name })),
      );
      const hint = suggestions.length > 0 ? `did you mean ${suggestions.map(quote).join(', ')}?` : 'remove it';
      const message = `Server ${quote(server)}: there is an override of ${quote(tool)}, which is none of its ${names.size} tools; ${hint}`;
      return { code: 'override-matches-nothing', server, tool, suggestions, message };
    });
}
