//! Interpolation of colours.

use plotters::style::RGBColor;

/// Interpolates between two colours in OKLab, `share` of the way (Ottosson 2020,
/// <https://bottosson.github.io/posts/oklab/>), so that equal steps look equal.
pub(crate) fn mix(from: RGBColor, to: RGBColor, share: f64) -> RGBColor {
    let (a, b) = (to_oklab(from), to_oklab(to));
    let lab = [0, 1, 2].map(|i| a[i] + (b[i] - a[i]) * share);
    let [l, m, s] = [
        lab[0] + 0.396_337_777_4 * lab[1] + 0.215_803_757_3 * lab[2],
        lab[0] - 0.105_561_345_8 * lab[1] - 0.063_854_172_8 * lab[2],
        lab[0] - 0.089_484_177_5 * lab[1] - 1.291_485_548_0 * lab[2],
    ]
    .map(|v| v * v * v);
    let [r, g, b] = [
        4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s,
        -1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s,
        -0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701_0 * s,
    ]
    .map(|v| {
        let v = v.clamp(0.0, 1.0);
        let v = if v <= 0.003_130_8 { v * 12.92 } else { 1.055 * libm::pow(v, 1.0 / 2.4) - 0.055 };
        (v * 255.0).round() as u8
    });
    RGBColor(r, g, b)
}

/// Red, green and blue of a colour in linear light, each from 0 to 1, without the gamma curve of sRGB.
pub(super) fn to_linear_rgb(colour: RGBColor) -> [f64; 3] {
    [colour.0, colour.1, colour.2].map(|c| {
        let c = f64::from(c) / 255.0;
        if c <= 0.040_45 { c / 12.92 } else { libm::pow((c + 0.055) / 1.055, 2.4) }
    })
}

/// OKLab coordinates of a colour: lightness, green–red, blue–yellow.
pub(super) fn to_oklab(colour: RGBColor) -> [f64; 3] {
    let [r, g, b] = to_linear_rgb(colour);
    let [l, m, s] = [
        0.412_221_470_8 * r + 0.536_332_536_3 * g + 0.051_445_992_9 * b,
        0.211_903_498_2 * r + 0.680_699_545_1 * g + 0.107_396_956_6 * b,
        0.088_302_461_9 * r + 0.281_718_837_6 * g + 0.629_978_700_5 * b,
    ]
    .map(libm::cbrt);
    [
        0.210_454_255_3 * l + 0.793_617_785_0 * m - 0.004_072_046_8 * s,
        1.977_998_495_1 * l - 2.428_592_205_0 * m + 0.450_593_709_9 * s,
        0.025_904_037_1 * l + 0.782_771_766_2 * m - 0.808_675_766_0 * s,
    ]
}
