import type { SourceTool } from '@x/internal/contracts';
import { createListSource, tool } from '@x/test-servers';
import type { SourceTools } from '../../src/catalog/snapshot.js';
import { scanTools } from '../../src/findings/scan-tools.js';
import type { ToolFinding } from '../../src/findings/tool-finding.js';

/** Findings of tools that several servers offer at once, by server. */
export function scanServers(servers: Record<string, readonly unknown[]>, natives: readonly string[] = []) {
  const offered = Object.entries(servers).map(
    ([name, tools]): SourceTools => ({
      name,
      state: 'running',
      source: createListSource(name),
      checked: { tools: tools as readonly SourceTool[], refused: [] },
    }),
  );
  return scanTools(offered, natives);
}

/** Findings of one description. */
export function scanDescription(description: string): readonly ToolFinding[] {
  return scanServers({ server: [tool('a_tool', { description })] });
}
