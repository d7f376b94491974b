import type { Config, RequirementTier } from '@x/mcp-config-schema';

/** From the strongest wish on. */
export const tiers = ['required', 'recommended', 'optional'] as const satisfies readonly RequirementTier[];

/** How much the tools of the config need a server: the strongest of their wishes. */
export function requirementOf({ tools }: Pick<Config, 'tools'>, server: string): RequirementTier | undefined {
  return tiers.find((tier) => tools.some(({ mcpTools }) => mcpTools[tier].includes(server)));
}
