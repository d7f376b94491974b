import { quoted } from '@x/internal/text';
import type { RequirementTier } from '../config.js';
import type { ConfigFile } from '../config-file.js';

export const tiers: readonly RequirementTier[] = ['required', 'recommended', 'optional'];

export function checkTiers(files: readonly ConfigFile[]): void {
  for (const { source, section, toolParts } of files) {
    for (const [tool, entry] of toolParts) {
      const tierOf = new Map<string, RequirementTier>();
      for (const tier of tiers) {
        entry.mcp_tools[tier].forEach((server, index) => {
          const earlier = tierOf.get(server) ?? tier;
          tierOf.set(server, earlier);
          if (earlier === tier) return;
          const message = `Tool ${quoted(tool)} lists server ${quoted(server)} both as ${earlier} and as ${tier}`;
          const hint = `remove it from ${tier} to keep it ${earlier}`;
          source.report(
            { code: 'conflicting-tiers', severity: 'error', message, server, tiers: [earlier, tier], hint },
            [section, tool, 'mcp_tools', tier, index],
          );
        });
      }
    }
  }
}
