export type { OptionCheck, OptionRows, OptionTable, Resolved } from './options/option-table.js';
export { bytes, checkOption, longestTimerMs, milliseconds, optionTable } from './options/option-table.js';
