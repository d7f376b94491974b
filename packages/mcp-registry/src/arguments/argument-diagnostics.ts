import { knownUncheckedParts } from '@x/internal/json-schema';
import { quote } from '@x/internal/text';
import type { ToolView } from '@x/internal/views';
import type { RegistryDiagnostic } from '../catalog/diagnostics.js';

/** Tools whose calls are not fully checked. Known from the first call of each tool. */
export function argumentDiagnostics(tools: readonly ToolView[]): readonly RegistryDiagnostic[] {
  return tools.flatMap(({ server, tool, inputSchema }): readonly RegistryDiagnostic[] => {
    const parts = knownUncheckedParts(inputSchema);
    if (parts.length === 0 || server === undefined) return [];
    const message = `Server ${quote(server)}: calls of ${quote(tool)} are not checked for ${parts.join('; ')}; the server has to do that`;
    return [{ code: 'unchecked-arguments', server, tool, message }];
  });
}
