/** What has to be done when one request and its answer are over. */
export class ExchangeEnd {
  readonly #over: ((isTaken: boolean) => void)[] = [];
  readonly #dropped: ((reason: Error) => void)[] = [];

  /** @param listener - Is told whether the answer was taken to its end. */
  onOver(listener: (isTaken: boolean) => void): void {
    this.#over.push(listener);
  }

  /** Called before that, if the answer was given up because its client does not read. */
  onDropped(listener: (reason: Error) => void): void {
    this.#dropped.push(listener);
  }

  /** May be called twice. */
  over(isTaken: boolean): void {
    for (const listener of this.#over.splice(0)) listener(isTaken);
  }

  dropped(reason: Error): void {
    for (const listener of this.#dropped.splice(0)) listener(reason);
  }
}
