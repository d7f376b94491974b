export { type TerminalTextOptions, toTerminalText } from '@x/internal/terminal-text';
