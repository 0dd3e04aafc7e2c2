export { Chat } from './chat.ts';
export { type Editor, type EditorOptions, launchEditor, type WindowOptions } from './editor.ts';
export type { Host, HostFunction } from './host.ts';
export { type Look, setChatWidth, setLook, takePicture, themes } from './looks.ts';
export type { Problems } from './problems.ts';
export { sharedEditor } from './shared-editor.ts';
export type { EditorWindow } from './window.ts';
