import type { CallHandler, ClientHandlerContext, ServerRequest } from '@x/internal/contracts';

export interface TestHandler extends CallHandler {
  /** Server requests so far, with their servers. */
  readonly asked: (ServerRequest & ClientHandlerContext)[];
}

/** The host of a client that can do everything unless it says otherwise, and that answers each request as `answer` does. */
export function handlerOf(
  client: unknown,
  answer: (question: ServerRequest, context: ClientHandlerContext) => unknown = () => ({ by: client }),
  capabilities: CallHandler['capabilities'] = everything,
): TestHandler {
  const asked: TestHandler['asked'] = [];
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
