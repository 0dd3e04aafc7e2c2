/** The process of one plugin. Midcourse starts it with a pipe at file descriptor 3. */

import { Socket } from 'node:net';
import { PluginSide } from './plugin-side.ts';

const pipe = new Socket({ fd: 3, readable: true, writable: true });
// Without Midcourse there is nobody to work for.
pipe.on('close', () => process.exit(0));
pipe.on('error', () => process.exit(0));
new PluginSide(pipe);
