//! Arrays as numpy's `.npz`: a ZIP archive, without compression, of `.npy` files.
//!
//! # Why
//! Both formats are a page of specification each, and no crate that the program has anyway writes either. The `.npy` header
//! is version 1.0 of numpy's format (NEP 1, Kern 2007); the archive is as PKWARE's APPNOTE.TXT 6.3.10 has it, sections
//! 4.3.7, 4.3.12 and 4.3.16.

use vivarium_plot::charts::indexed::crc;

/// One array of an archive.
#[derive(Debug, Clone, PartialEq)]
pub struct Array {
    /// Its name: the key in numpy's dictionary.
    pub name: String,
    /// How long each axis is; none of a single value.
    pub shape: Vec<usize>,
    /// The numbers or texts, the last axis running fastest.
    pub values: Values,
}

/// What is in an array.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Single precision.
    Single(Vec<f32>),
    /// Double precision.
    Double(Vec<f64>),
    /// Texts.
    Text(Vec<String>),
}

impl Values {
    /// The type's name in numpy, and the bytes.
    fn encode(&self) -> (String, Vec<u8>) {
        match self {
            Values::Single(values) => ("<f4".into(), values.iter().flat_map(|v| v.to_le_bytes()).collect()),
            Values::Double(values) => ("<f8".into(), values.iter().flat_map(|v| v.to_le_bytes()).collect()),
            Values::Text(texts) => {
                // All texts have the room of the longest, in code points of four bytes.
                let longest = texts.iter().map(|text| text.chars().count()).max().unwrap_or(0).max(1);
                let mut bytes = Vec::with_capacity(4 * longest * texts.len());
                for text in texts {
                    let end = bytes.len() + 4 * longest;
                    bytes.extend(text.chars().flat_map(|c| u32::from(c).to_le_bytes()));
                    bytes.resize(end, 0);
                }
                (format!("<U{longest}"), bytes)
            }
        }
    }
}

impl Array {
    /// The bytes of its `.npy` file.
    fn npy(&self) -> Vec<u8> {
        let (kind, data) = self.values.encode();
        let sizes: String = self.shape.iter().map(|size| format!("{size},")).collect();
        let mut header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({sizes}), }}");
        // Magic, version and length take ten bytes; the data begin at a multiple of 64.
        let whole = (10 + header.len() + 1).next_multiple_of(64);
        header.push_str(&" ".repeat(whole - 10 - header.len() - 1));
        header.push('\n');
        [b"\x93NUMPY\x01\x00".as_slice(), &(header.len() as u16).to_le_bytes(), header.as_bytes(), &data]
            .concat()
    }
}

/// A number as so many bytes, the lowest first.
fn little(number: usize, bytes: usize) -> Vec<u8> {
    (number as u64).to_le_bytes()[..bytes].to_vec()
}

/// The archive of these arrays; none where it would be too large for the format, 4 GiB or 65,535 arrays.
pub fn archive(arrays: &[Array]) -> Option<Vec<u8>> {
    let (mut out, mut directory) = (vec![], vec![]);
    for array in arrays {
        let (name, data) = (format!("{}.npy", array.name), array.npy());
        // Version 2.0, texts in UTF-8, stored, at midnight of January 1st 1980, which is the first day of the format.
        let about = [
            little(20, 2),
            little(1 << 11, 2),
            little(0, 2),
            little(0, 2),
            little(0x21, 2),
            little(crc(&data) as usize, 4),
            little(data.len(), 4),
            little(data.len(), 4),
            little(name.len(), 2),
            little(0, 2),
        ]
        .concat();
        let place = little(out.len(), 4);
        out.extend_from_slice(b"PK\x03\x04");
        out.extend_from_slice(&about);
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(&data);
        directory.extend_from_slice(b"PK\x01\x02");
        directory.extend(little(20, 2));
        directory.extend_from_slice(&about);
        // No comment, the first disk, no attributes.
        directory.extend([0; 10]);
        directory.extend(place);
        directory.extend_from_slice(name.as_bytes());
    }
    let (begin, length) = (out.len(), directory.len());
    let fits = arrays.len() < usize::from(u16::MAX) && ((begin + length) as u64) < u64::from(u32::MAX);
    out.extend(directory);
    out.extend_from_slice(b"PK\x05\x06");
    out.extend([0; 4]);
    out.extend([little(arrays.len(), 2), little(arrays.len(), 2)].concat());
    out.extend([little(length, 4), little(begin, 4), little(0, 2)].concat());
    fits.then_some(out)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    fn number(bytes: &[u8]) -> usize {
        bytes.iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte))
    }

    /// The arrays of an archive, found by its directory, with every checksum compared.
    pub fn read(archive: &[u8]) -> Vec<Array> {
        let end = &archive[archive.len() - 22..];
        assert_eq!(&end[..4], b"PK\x05\x06");
        let mut at = number(&end[16..20]);
        let mut arrays = vec![];
        for _ in 0..number(&end[10..12]) {
            let entry = &archive[at..];
            assert_eq!(&entry[..4], b"PK\x01\x02");
            let (size, length) = (number(&entry[24..28]), number(&entry[28..30]));
            let name = std::str::from_utf8(&entry[46..46 + length]).unwrap();
            let local = &archive[number(&entry[42..46])..];
            assert_eq!((&local[..4], &local[30..30 + length]), (&b"PK\x03\x04"[..], name.as_bytes()));
            let data = &local[30 + length..][..size];
            assert_eq!(crc(data) as usize, number(&entry[16..20]));
            arrays.push(npy(name.strip_suffix(".npy").unwrap(), data));
            at += 46 + length;
        }
        arrays
    }

    fn npy(name: &str, data: &[u8]) -> Array {
        assert_eq!(&data[..8], b"\x93NUMPY\x01\x00");
        let length = number(&data[8..10]);
        assert_eq!((10 + length) % 64, 0);
        let header = std::str::from_utf8(&data[10..10 + length]).unwrap();
        let between =
            |from: &str, to: &str| header.split_once(from).unwrap().1.split_once(to).unwrap().0.to_string();
        let sizes = between("'shape': (", ")");
        let shape = sizes.split(',').filter(|size| !size.is_empty()).map(|size| size.parse().unwrap());
        let (kind, bytes) = (between("'descr': '", "'"), &data[10 + length..]);
        let values = match kind.as_str() {
            "<f4" => {
                Values::Single(bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect())
            }
            "<f8" => {
                Values::Double(bytes.as_chunks::<8>().0.iter().map(|b| f64::from_le_bytes(*b)).collect())
            }
            text => {
                let room: usize = text.strip_prefix("<U").unwrap().parse().unwrap();
                let texts = bytes.chunks_exact(4 * room).map(|text| {
                    let codes = text.as_chunks::<4>().0.iter().map(|code| u32::from_le_bytes(*code));
                    codes.take_while(|code| *code > 0).map(|code| char::from_u32(code).unwrap()).collect()
                });
                Values::Text(texts.collect())
            }
        };
        Array { name: name.into(), shape: shape.collect(), values }
    }

    pub fn samples() -> Vec<Array> {
        let array =
            |name: &str, shape: &[usize], values| Array { name: name.into(), shape: shape.into(), values };
        vec![
            array("loss/0/value", &[2, 3], Values::Single(vec![0.1, -2.0, f32::NAN, 0.0, 1e30, 5.0])),
            array("x", &[2], Values::Double(vec![1.0 / 3.0, f64::INFINITY])),
            array("näme", &[3], Values::Text(vec!["γ∗".into(), String::new(), "abc".into()])),
            array("about", &[], Values::Text(vec!["{}".into()])),
            array("none", &[0], Values::Text(vec![])),
        ]
    }

    /// Its numbers are those of everybody else: 0xcbf43926 is in the specification of PNG's relatives.
    #[test]
    fn the_checksum_is_that_of_zip() {
        assert_eq!((crc(b"123456789"), crc(b"")), (0xcbf4_3926, 0));
    }

    #[test]
    fn an_archive_is_read_back() {
        let (arrays, read) = (samples(), read(&archive(&samples()).unwrap()));
        assert_eq!(format!("{arrays:?}"), format!("{read:?}"));
        assert_eq!(archive(&[]).unwrap().len(), 22);
    }

    /// Where Python with numpy is.
    #[test]
    fn numpy_reads_an_archive() {
        let path = std::env::temp_dir().join(format!("vivarium-npz-{}.npz", std::process::id()));
        std::fs::write(&path, archive(&samples()).unwrap()).unwrap();
        let code = "import sys\n\
                    try:\n    import numpy as np\nexcept ImportError:\n    sys.exit(3)\n\
                    f = np.load(sys.argv[1])\n\
                    assert sorted(f) == sorted(['loss/0/value', 'x', 'näme', 'about', 'none']), list(f)\n\
                    v = f['loss/0/value']\n\
                    assert v.shape == (2, 3) and v.dtype == np.float32 and v[0, 0] == np.float32(0.1), v\n\
                    assert np.isnan(v[0, 2]) and f['x'][0] == 1 / 3 and np.isinf(f['x'][1])\n\
                    assert list(f['näme']) == ['γ∗', '', 'abc'] and str(f['about']) == '{}'\n\
                    assert f['about'].shape == () and f['none'].shape == (0,)\n";
        let run = std::process::Command::new("python3").arg("-c").arg(code).arg(&path).output();
        std::fs::remove_file(&path).unwrap();
        let Ok(run) = run else { return eprintln!("skipped: there is no python3") };
        match run.status.code() {
            Some(3) => eprintln!("skipped: python3 has no numpy"),
            code => assert_eq!(code, Some(0), "{}", String::from_utf8_lossy(&run.stderr)),
        }
    }
}
