/** Loaded with the first output that redraws itself. A module of its own: the package is CommonJS. */
import xterm from '@xterm/headless';

export const { Terminal } = xterm;
