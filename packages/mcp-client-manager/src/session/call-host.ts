import type { CallHost } from '@x/internal/contracts';

export type { CallHost } from '@x/internal/contracts';

/** A host whose call is told how long it waits for it. */
export interface AwaitedHost extends CallHost {
  /**
   * To be called when there is something to be answered.
   * @returns To be called once it is. The call goes on when what that returns resolves, or at once.
   */
  waits?(): () => Promise<void> | undefined;
}
