import { optionTable } from '@x/internal/options';
import type { ToolView } from '@x/internal/views';
import { AskPatterns } from '../../roles/ask-patterns.js';
import { matchesStars } from '../../roles/tool-pattern.js';
import { NamedTools } from '../named-tools.js';

/** Which calls need approval. The registry's own tools need none. */
export interface ApprovalRules {
  /**
   * Patterns as in `askBefore` of a role: a tool's own name means it on every server, `*` any text, and `destructive`
   * all tools that declare neither `readOnlyHint: true` nor `destructiveHint: false`. Default `['*']`: all tools.
   */
  readonly tools?: readonly string[] | undefined;
  /**
   * Exceptions. Patterns as in `allowedTools` of a role, which name the whole server. One with a dot or slash names tools
   * only: all tools of a server `db.query` are `db.query.*`. Default: none.
   */
  readonly except?: readonly string[] | undefined;
  /**
   * Servers whose word is taken: their tools with `readOnlyHint: true` need no approval. `*` stands for any text.
   * Default: none, because a server can declare anything.
   */
  readonly trustReadOnly?: readonly string[] | undefined;
  /** Name or version of the rules. Part of what is approved. Default: none. */
  readonly policy?: string | undefined;
}

const approvalRules = optionTable<ApprovalRules>()({
  tools: { kind: 'texts', default: ['*'] },
  except: { kind: 'texts', default: [] },
  trustReadOnly: { kind: 'texts', default: [] },
  policy: { kind: 'text' },
});

export interface CompiledApprovalRules {
  readonly rules: ApprovalRules;
  needsApproval(tool: ToolView): boolean;
}

/** @throws {TypeError} naming the invalid rule. */
export function compileApprovalRules(given: ApprovalRules | undefined): CompiledApprovalRules {
  const rules = approvalRules.read(given, 'rules.');
  const tools = new AskPatterns(rules.tools);
  const except = new NamedTools(rules.except);
  const trusted = rules.trustReadOnly;
  return {
    rules,
    needsApproval(tool) {
      const { server } = tool;
      if (tools.find(tool) === undefined || except.has(tool)) return false;
      const isTrusted = server !== undefined && trusted.some((pattern) => matchesStars(pattern, server));
      return !(isTrusted && isReadOnly(tool));
    },
  };
}

function isReadOnly({ annotations }: ToolView): boolean {
  return annotations?.readOnlyHint === true && annotations.destructiveHint !== true;
}
