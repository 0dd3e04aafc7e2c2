import { AT_ONCE, readOffThread, type ServersPlace } from '../../reading/index.ts';
import { type ReadServers, readServersFile } from './read-servers.ts';

/** As `readServersFile`, for a file of a workspace folder or the user's; a long one is read in another thread. Never rejects. */
export async function readWorkspaceServers(text: string, place: ServersPlace): Promise<ReadServers> {
  if (text.length <= AT_ONCE) return readServersAt(text, place);
  const read = await readOffThread({ is: 'servers', text, ...place });
  const broken = 'why' in read ? `It cannot be read: ${read.words}.` : 'It was not read.';
  return ('why' in read ? undefined : read.servers) ?? { servers: [], warnings: [], broken };
}

/** Plain data: it may come from another thread. */
export function readServersAt(text: string, { form, folder, scope, path }: ServersPlace): ReadServers {
  return readServersFile(text, {
    form,
    ...(folder === undefined ? {} : { folder }),
    sourceAt: (line) => ({ is: 'file', path, scope, ...(line === undefined ? {} : { line }) }),
  });
}
