// To be imported before a program: its dates are off by as much as the environment says, or as the program says later.
// Durations (`performance.now`, timers) stay what they are.

const RealDate = Date;
let offsetMs = Number(process.env.CLOCK_OFFSET_MS ?? 0);

class SkewedDate extends RealDate {
  constructor(...args: readonly unknown[]) {
    if (args.length === 0) super(SkewedDate.now());
    else super(...(args as [number]));
  }

  static override now(): number {
    return RealDate.now() + offsetMs;
  }
}

Object.defineProperty(performance, 'timeOrigin', { value: performance.timeOrigin + offsetMs });
Object.assign(globalThis, {
  Date: SkewedDate,
  setClockOffset: (ms: number) => {
    offsetMs = ms;
  },
});
