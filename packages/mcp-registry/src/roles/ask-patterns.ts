import type { ToolAnnotations } from '@x/internal/contracts';
import type { ToolIdentity } from '@x/internal/views';
import { DESTRUCTIVE, isDestructive } from './role-rule.js';
import { DenyPatterns } from './tool-pattern.js';

interface AskedTool extends ToolIdentity {
  readonly annotations?: ToolAnnotations | undefined;
}

/** The entries of one `askBefore`. */
export class AskPatterns {
  readonly #named: DenyPatterns;
  readonly #asksForDestructive: boolean;

  constructor(patterns: readonly string[]) {
    this.#named = new DenyPatterns(patterns);
    this.#asksForDestructive = patterns.includes(DESTRUCTIVE);
  }

  find(tool: AskedTool): string | undefined {
    const isMeant = this.#asksForDestructive && isDestructive(tool.annotations);
    return this.#named.find(tool) ?? (isMeant ? DESTRUCTIVE : undefined);
  }
}
