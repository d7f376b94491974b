import { composeInstructions, type InstructionsOptions, instructionsRows } from '@x/internal/instructions';
import { optionTable } from '@x/internal/options';
import type { ServerInstructions } from '@x/internal/views';

const instructionsOptions = optionTable<InstructionsOptions>()(instructionsRows);

/** @throws {TypeError} naming the option that is unknown or out of bounds. */
export function textOfInstructions(servers: readonly ServerInstructions[], options?: InstructionsOptions): string {
  return composeInstructions(servers, instructionsOptions.read(options).maxCharacters);
}
