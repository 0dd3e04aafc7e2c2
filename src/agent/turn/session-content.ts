import type { Attachment, Image, TranscriptRow } from '../../api.ts';
import { exportJson, exportMarkdown } from '../session/index.ts';
import { SessionVerbs } from './session-verbs.ts';

/** What is stored of a session, read where it is asked for. */
export abstract class SessionContent extends SessionVerbs {
  transcript(): Promise<readonly TranscriptRow[]> {
    return Promise.resolve(this.rows());
  }

  /** @param options.limit counts from the end; `before` excludes rows from that sequence number on */
  rows(options?: { before?: number; limit?: number }): readonly TranscriptRow[] {
    return this.ports.store.rows(this.id, options);
  }

  export(format: 'json' | 'markdown'): Promise<string> {
    const { store } = this.ports;
    const text = format === 'json' ? exportJson(store, this.id) : exportMarkdown(store, this.id);
    return text === undefined ? Promise.reject(new Error('This session was deleted.')) : Promise.resolve(text);
  }

  /** For a text that is not sent yet. @throws NotAnImage, StorageError */
  keepImage(name: string, base64: string): Attachment {
    const { images } = this.ports.store;
    const ref = images.save(this.id, base64);
    return { kind: 'image', name, mime: images.facts(ref)?.mime ?? '', ref };
  }

  /** Undefined when it is gone. */
  image(ref: string): Image | undefined {
    const { images } = this.ports.store;
    const base64 = images.read(ref);
    return base64 === undefined ? undefined : { mime: images.facts(ref)?.mime ?? '', base64 };
  }
}
