import { formatIssue, type RequirementReport } from '@x/mcp-config-schema';
import { checkFiles } from '@x/mcp-config-schema/load';
import type { Io } from '../command.js';
import { configSource } from '../config/config-source.js';
import type { Control } from '../control/control.js';
import { tiers } from '../control/server-facts.js';
import type { ConfigView, ToolReadinessView } from './page-messages.js';

const maxIssues = 200;

export async function configReport(
  files: readonly string[] | undefined,
  { cwd, env }: Pick<Io, 'cwd' | 'env'>,
  control: Pick<Control, 'requirements'>,
): Promise<ConfigView> {
  const { issues, texts, redactor } = await checkFiles(configSource(files, { cwd, env }));
  return {
    files: [...texts.keys()],
    issues: issues.slice(0, maxIssues).map((issue) => {
      const text = issue.file === undefined ? undefined : texts.get(issue.file);
      return { severity: issue.severity, code: issue.code, text: formatIssue(issue, { text, redactor }) };
    }),
    moreIssues: Math.max(issues.length - maxIssues, 0),
    requirements: readinessOf(await control.requirements()),
  };
}

function readinessOf({ tools }: RequirementReport): readonly ToolReadinessView[] {
  return tools.map((tool) => ({
    tool: tool.tool,
    readiness: tool.readiness,
    requirements: tiers.flatMap((tier) =>
      tool[tier].map(({ server, satisfied, status, installHint }) => ({
        tier,
        server,
        isSatisfied: satisfied,
        status,
        ...(installHint !== undefined && { hint: installHint }),
      })),
    ),
  }));
}
