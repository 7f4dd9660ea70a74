/** The contrast (WCAG 2) of every shown text with what it stands on; runs in the page. */
export function contrasts(selector) {
  const channels = colour => (colour.match(/[\d.]+/g) ?? []).map(Number)
  const luminance = colour => {
    const [r, g, b] = channels(colour).map(value => {
      const part = value / 255
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const behind = element => {
    const colour = getComputedStyle(element).backgroundColor
    return channels(colour)[3] === 0 && element.parentElement ? behind(element.parentElement) : colour
  }
  return [...document.querySelectorAll(selector)].flatMap(element => {
    const { color, fill } = getComputedStyle(element)
    const text = element.textContent ?? ''
    if (element.getClientRects().length === 0 || text.trim() === '') return []
    const pair = [luminance(element instanceof SVGElement ? fill : color), luminance(behind(element))]
    return [{ text, ratio: (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05) }]
  })
}
