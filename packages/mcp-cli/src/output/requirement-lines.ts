import type { RequirementReport } from '@x/mcp-config-schema';
import { tiers } from '../control/requirement-of.js';
import type { Styles } from './styles.js';

/** A line per tool, then a line per server, by tier. */
export function requirementLines({ tools }: RequirementReport, { green, yellow, red, bold, dim }: Styles): string[] {
  const marks = { required: red('✗'), recommended: yellow('!'), optional: dim('-') } as const;
  return tools.flatMap((tool) => [
    `${bold(tool.tool)} is ${tool.readiness}`,
    ...tiers.flatMap((tier) =>
      tool[tier].map(({ server, satisfied, status, installHint }) => {
        const hint = installHint === undefined ? '' : dim(` (${installHint})`);
        return `  ${satisfied ? green('✓') : marks[tier]} ${tier.padEnd(11)} ${server}: ${status}${hint}`;
      }),
    ),
  ]);
}
