import { TokenBucket } from '@x/internal/limits';

export const perSecond = 200;

/** Lets 1 000 things pass at once and 200 a second after that, so that no listener drowns in them. */
export class Credit extends TokenBucket {
  constructor() {
    super({ requests: perSecond, perMs: 1_000, burst: 1_000 });
  }
}
