/** How text may look: width in columns, whether colour and characters beyond ASCII are welcome. */
export type Style = { readonly columns: number; readonly colour: boolean; readonly unicode: boolean }

/** Neutral style of tests and of files. */
export const PLAIN: Style = { columns: 80, colour: false, unicode: true }
