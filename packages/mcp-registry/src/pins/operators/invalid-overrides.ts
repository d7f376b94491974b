import { quote } from '@x/internal/text';
import { resolveOverrides } from '@x/internal/tool-overrides';
import type { RegistryDiagnostic } from '../../catalog/diagnostics.js';
import type { SourceTools } from '../../catalog/snapshot.js';

const MAX_FAULTS = 20;

/** At most 20 for each source. */
export function invalidOverrides({
  name: server,
  overrides,
  overridesError,
}: SourceTools): readonly RegistryDiagnostic[] {
  const place = `Server ${quote(server)}: `;
  const found: RegistryDiagnostic[] = [];
  if (overridesError !== undefined) {
    const message = `${place}toolOverrides could not be read: ${overridesError}; the earlier ones stay`;
    found.push({ code: 'invalid-override', server, tool: undefined, message });
  }
  const refuse = ({ message }: Error, tool?: string) => {
    if (found.length < MAX_FAULTS) found.push({ code: 'invalid-override', server, tool, message });
  };
  resolveOverrides(overrides, { place, option: 'toolOverrides', refuse });
  return found;
}
