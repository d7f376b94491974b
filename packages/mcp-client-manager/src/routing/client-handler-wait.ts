import type { AwaitedHost, CallHost } from '../session/call-host.js';

/** What becomes of a call or request while it waits for its host. */
export interface WaitingRequest {
  /** It waits from now on. */
  waits(): void;
  /** It has all its answers. @returns Resolves when it may go on; `undefined`: at once. */
  goesOn(): Promise<void> | undefined;
}

/** The host of a call which is told of the time that it spends on waiting for that: from the first question on to the last answer. */
export function awaitedHost(host: CallHost, call: WaitingRequest): AwaitedHost {
  let open = 0;
  return {
    client: host.client,
    owner: host.owner,
    capabilities: host.capabilities,
    answer: (question, context) => host.answer(question, context),
    waits: () => {
      open += 1;
      if (open === 1) call.waits();
      return () => {
        open -= 1;
        return open === 0 ? call.goesOn() : undefined;
      };
    },
  };
}
