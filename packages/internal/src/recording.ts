export {
  parseRecording,
  type RecordedMessage,
  type Recording,
  type RecordingLine,
  recordingHeader,
} from './recording/recording-file.js';
export { Replay, type ReplayLink } from './recording/replay.js';
