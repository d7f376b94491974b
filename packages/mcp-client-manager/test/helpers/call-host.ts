import type { CallHost, CallHostContext, HostQuestion } from '@x/internal/contracts';

export interface TestHost extends CallHost {
  /** What it was asked, with who asked. */
  readonly asked: (HostQuestion & CallHostContext)[];
}

/** The host of a client that can do everything unless it says otherwise, and that answers each request as `answer` does. */
export function hostOf(
  client: unknown,
  answer: (question: HostQuestion, context: CallHostContext) => unknown = () => ({ by: client }),
  capabilities: CallHost['capabilities'] = everything,
): TestHost {
  const asked: TestHost['asked'] = [];
  return {
    client,
    capabilities,
    asked,
    answer: async (question, context) => {
      asked.push({ ...question, ...context });
      return (await answer(question, context)) as Record<string, unknown>;
    },
  };
}

export const everything = {
  sampling: { tools: {} },
  elicitation: { form: {}, url: {} },
  roots: { listChanged: true },
} as const;
