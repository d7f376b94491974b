import { bytes, milliseconds, optionTable } from '@x/internal/options';

/** Limits of each program. */
export interface CodeOptions {
  /** Longest run, with the waits for tools, in milliseconds. Default 60 000. */
  readonly timeoutMs?: number | undefined;
  /** Longest time that the program itself computes, in milliseconds. Default 2000. */
  readonly maxComputeMs?: number | undefined;
  /** Memory of the program, in bytes. Default 64 MiB. */
  readonly maxMemoryBytes?: number | undefined;
  /** Calls of tools. Default 100. */
  readonly maxCalls?: number | undefined;
  /** Calls in progress at a time; further ones wait. Default 8. */
  readonly maxParallelCalls?: number | undefined;
  /** Characters of the returned value, and of the log. Default 20 000. */
  readonly maxOutputCharacters?: number | undefined;
  /** Programs at a time, each in a thread of its own; further ones are refused. Default 8. */
  readonly maxPrograms?: number | undefined;
  /**
   * Programs at a time of one client or principal, so that it leaves some to others. Calls with neither count towards
   * `maxPrograms` only. Default: half of `maxPrograms`, at least 1.
   */
  readonly maxProgramsPerCaller?: number | undefined;
}

const programs = { kind: 'number', of: 'programs', min: 1, max: 1_000 } as const;
const calls = { kind: 'number', of: 'calls', min: 1 } as const;
const codeOptions = optionTable<CodeOptions>()({
  timeoutMs: { ...milliseconds, default: 60_000 },
  maxComputeMs: { ...milliseconds, default: 2_000 },
  maxMemoryBytes: { ...bytes, min: 1_048_576, max: 1_073_741_824, default: 67_108_864 },
  maxCalls: { ...calls, default: 100 },
  maxParallelCalls: { ...calls, default: 8 },
  maxOutputCharacters: { kind: 'number', of: 'characters', min: 100, default: 20_000 },
  maxPrograms: { ...programs, default: 8 },
  maxProgramsPerCaller: programs,
});

export type CodePolicy = Readonly<{ [Name in keyof CodeOptions]-?: NonNullable<CodeOptions[Name]> }>;

/** @throws {TypeError} naming the option that is unknown or out of bounds. */
export function resolveCode(given: CodeOptions | undefined): CodePolicy {
  const options = codeOptions.read(given);
  const { maxPrograms, maxProgramsPerCaller = Math.ceil(maxPrograms / 2) } = options;
  return { ...options, maxProgramsPerCaller };
}
