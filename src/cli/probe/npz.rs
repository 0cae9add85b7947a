//! Arrays in the `.npz` format of numpy: a ZIP archive, without compression, of `.npy` files.
//!
//! # Why
//! The `.npy` header is version 1.0 of numpy's format (NEP 1, Kern 2007) and takes ten lines. The crate
//! `npyz` would write it, but brings a parser of Python literals, which only reading needs.

use std::io::{Cursor, Write};

use zip::result::ZipResult;
use zip::write::FileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

/// One array of an `.npz` archive.
#[derive(Debug, Clone, PartialEq)]
pub struct NpyArray {
    /// Name of the array: its key in numpy.
    pub name: String,
    /// Length of each axis; empty for a single value.
    pub shape: Vec<usize>,
    /// Entries of the array, with the last axis varying fastest.
    pub values: NpyValues,
}

/// Entries of a numpy array, by the type of number or as text.
#[derive(Debug, Clone, PartialEq)]
pub enum NpyValues {
    /// Single precision.
    Single(Vec<f32>),
    /// Double precision.
    Double(Vec<f64>),
    /// Texts.
    Text(Vec<String>),
}

impl NpyValues {
    /// Type string of the entries in numpy, such as `<f4`, and their bytes in little-endian order.
    fn encode(&self) -> (String, Vec<u8>) {
        match self {
            NpyValues::Single(values) => {
                ("<f4".into(), values.iter().flat_map(|v| v.to_le_bytes()).collect())
            }
            NpyValues::Double(values) => {
                ("<f8".into(), values.iter().flat_map(|v| v.to_le_bytes()).collect())
            }
            NpyValues::Text(texts) => {
                // All texts are padded to the longest, in code points of four bytes.
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

impl NpyArray {
    /// Bytes of the array as a `.npy` file: header with type and shape, then the entries.
    fn encode_npy(&self) -> Vec<u8> {
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

/// Bytes of an uncompressed `.npz` archive of these arrays.
///
/// # Errors
/// None that is known of.
pub fn encode_npz(arrays: &[NpyArray]) -> ZipResult<Vec<u8>> {
    let mut archive = ZipWriter::new(Cursor::new(vec![]));
    for array in arrays {
        let data = array.encode_npy();
        // Without a date, equal arrays give equal files.
        let options = FileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .last_modified_time(DateTime::default())
            .large_file(u32::try_from(data.len()).is_err());
        archive.start_file(format!("{}.npy", array.name), options)?;
        archive.write_all(&data)?;
    }
    Ok(archive.finish()?.into_inner())
}

#[cfg(test)]
pub(super) mod tests {
    use std::io::Read;

    use super::*;
    use vivarium_core::testing::skip;

    /// Reads the arrays of an archive and checks every checksum.
    pub fn decode_npz(archive: &[u8]) -> Vec<NpyArray> {
        let mut archive = zip::ZipArchive::new(Cursor::new(archive)).unwrap();
        let count = archive.len();
        let array = |at| {
            let mut file = archive.by_index(at).unwrap();
            assert_eq!(file.compression(), CompressionMethod::Stored);
            let mut data = vec![];
            file.read_to_end(&mut data).unwrap();
            decode_npy(file.name().strip_suffix(".npy").unwrap(), &data)
        };
        (0..count).map(array).collect()
    }

    /// Parses the bytes of an `.npy` file.
    fn decode_npy(name: &str, data: &[u8]) -> NpyArray {
        assert_eq!(&data[..8], b"\x93NUMPY\x01\x00");
        let length = usize::from(u16::from_le_bytes([data[8], data[9]]));
        assert_eq!((10 + length) % 64, 0);
        let header = std::str::from_utf8(&data[10..10 + length]).unwrap();
        let between =
            |from: &str, to: &str| header.split_once(from).unwrap().1.split_once(to).unwrap().0.to_string();
        let sizes = between("'shape': (", ")");
        let shape = sizes.split(',').filter(|size| !size.is_empty()).map(|size| size.parse().unwrap());
        let (kind, bytes) = (between("'descr': '", "'"), &data[10 + length..]);
        let values = match kind.as_str() {
            "<f4" => {
                NpyValues::Single(bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect())
            }
            "<f8" => {
                NpyValues::Double(bytes.as_chunks::<8>().0.iter().map(|b| f64::from_le_bytes(*b)).collect())
            }
            text => {
                let room: usize = text.strip_prefix("<U").unwrap().parse().unwrap();
                let texts = bytes.chunks_exact(4 * room).map(|text| {
                    let codes = text.as_chunks::<4>().0.iter().map(|code| u32::from_le_bytes(*code));
                    codes.take_while(|code| *code > 0).map(|code| char::from_u32(code).unwrap()).collect()
                });
                NpyValues::Text(texts.collect())
            }
        };
        NpyArray { name: name.into(), shape: shape.collect(), values }
    }

    /// Arrays of all types and shapes, for tests.
    pub fn sample_arrays() -> Vec<NpyArray> {
        let array =
            |name: &str, shape: &[usize], values| NpyArray { name: name.into(), shape: shape.into(), values };
        vec![
            array("loss/0/value", &[2, 3], NpyValues::Single(vec![0.1, -2.0, f32::NAN, 0.0, 1e30, 5.0])),
            array("x", &[2], NpyValues::Double(vec![1.0 / 3.0, f64::INFINITY])),
            array("näme", &[3], NpyValues::Text(vec!["γ∗".into(), String::new(), "abc".into()])),
            array("about", &[], NpyValues::Text(vec!["{}".into()])),
            array("none", &[0], NpyValues::Text(vec![])),
        ]
    }

    #[test]
    fn an_archive_is_read_back() {
        let (arrays, read) = (sample_arrays(), decode_npz(&encode_npz(&sample_arrays()).unwrap()));
        assert_eq!(format!("{arrays:?}"), format!("{read:?}"));
        assert_eq!(encode_npz(&[]).unwrap().len(), 22);
    }

    /// Skipped without a Python that can import numpy.
    #[test]
    fn numpy_reads_an_archive() {
        let path = std::env::temp_dir().join(format!("vivarium-npz-{}.npz", std::process::id()));
        std::fs::write(&path, encode_npz(&sample_arrays()).unwrap()).unwrap();
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
        let Ok(run) = run else { return skip(module_path!(), "no python3") };
        match run.status.code() {
            Some(3) => skip(module_path!(), "python3 cannot import numpy"),
            code => assert_eq!(code, Some(0), "{}", String::from_utf8_lossy(&run.stderr)),
        }
    }
}
